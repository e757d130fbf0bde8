"""Finding and loading built-in kinds and `my_module:function`; option classes."""
