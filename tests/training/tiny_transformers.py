"""Tiny transformers of each family, with a tokeniser of whole words, made without a network."""

from pathlib import Path

import transformers as t
from tokenizers import Tokenizer, models, pre_tokenizers, processors

SPECIAL = ["<pad>", "<unk>", "<s>", "</s>", "<mask>"]
WORDS = [*SPECIAL, *(f"word{i}" for i in range(60)), *(f"class{i}" for i in range(3)), "0", "1",
         "2", "yes", "no", *(f"question{i}" for i in range(7))]  # fmt: skip
V = len(WORDS)
#: Like the published ones: padding on the left, sentence pieces of two fields, and so on.
FAMILIES = {
    "bert": lambda: t.BertConfig(
        vocab_size=V, hidden_size=16, num_hidden_layers=3, num_attention_heads=2,
        intermediate_size=32, max_position_embeddings=40,
    ),
    "roberta": lambda: t.RobertaConfig(
        vocab_size=V, hidden_size=16, num_hidden_layers=3, num_attention_heads=2,
        intermediate_size=32, max_position_embeddings=44, pad_token_id=0, type_vocab_size=1,
    ),
    "distilbert": lambda: t.DistilBertConfig(
        vocab_size=V, dim=16, n_layers=3, n_heads=2, hidden_dim=32, max_position_embeddings=40,
    ),
    "xlnet": lambda: t.XLNetConfig(
        vocab_size=V, d_model=16, n_layer=3, n_head=2, d_inner=32, pad_token_id=0,
    ),
    "bart": lambda: t.BartConfig(
        vocab_size=V, d_model=16, encoder_layers=3, decoder_layers=3, encoder_attention_heads=2,
        decoder_attention_heads=2, encoder_ffn_dim=32, decoder_ffn_dim=32,
        max_position_embeddings=40, pad_token_id=0, bos_token_id=2, eos_token_id=3,
        decoder_start_token_id=3, forced_eos_token_id=3,
    ),
    "t5": lambda: t.T5Config(
        vocab_size=V, d_model=16, d_kv=8, d_ff=32, num_layers=3, num_decoder_layers=3, num_heads=2,
        pad_token_id=0, eos_token_id=3, decoder_start_token_id=0,
    ),
}  # fmt: skip


def tokeniser(family: str) -> t.PreTrainedTokenizerFast:
    inner = Tokenizer(models.WordLevel({w: i for i, w in enumerate(WORDS)}, unk_token="<unk>"))
    inner.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    inner.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> $B:1 </s>:1",
        special_tokens=[("<s>", 2), ("</s>", 3)],
    )  # fmt: skip
    names = ["input_ids", "attention_mask"]
    return t.PreTrainedTokenizerFast(
        tokenizer_object=inner, pad_token="<pad>", unk_token="<unk>", bos_token="<s>",
        eos_token="</s>", cls_token="<s>", sep_token="</s>", mask_token="<mask>",
        padding_side="left" if family == "xlnet" else "right",
        model_input_names=[*names, "token_type_ids"] if family == "bert" else names,
    )  # fmt: skip


def folder(family: str, place: Path) -> Path:
    """A folder as the hub gives it: configuration, random weights of a body alone, tokeniser."""
    config = FAMILIES[family]()
    kind = t.AutoModelForSeq2SeqLM if family == "t5" else t.AutoModel
    kind.from_config(config).save_pretrained(place)
    tokeniser(family).save_pretrained(place)
    return place
