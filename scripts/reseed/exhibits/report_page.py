"""The report's page: a Jinja2 template. In Python, so that editing it remakes the report."""

STYLE = """
:root { --ink: #222; --soft: #666; --line: #ddd; --back: #f6f7f9; --mark: #0072b2; }
* { box-sizing: border-box; }
body { margin: 0; color: var(--ink); background: #fff;
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main, nav, header { max-width: 78rem; margin: 0 auto; padding: 0 1.2rem; }
p, ul, dl, figcaption { max-width: 62rem; }
h1 { font-size: 1.7rem; margin: 1.5rem 0 0; }
h2 { font-size: 1.45rem; margin: 3rem 0 .5rem; padding-top: 1rem;
  border-top: 3px solid var(--mark); }
h3 { font-size: 1.12rem; margin: 2.2rem 0 .4rem; }
h4 { font-size: 1rem; margin: 1.4rem 0 .3rem; }
p, ul { margin: .4rem 0; }
a { color: var(--mark); }
nav { background: var(--back); padding-top: .6rem; padding-bottom: .8rem; margin-top: 1rem;
  border-radius: 6px; }
nav ul { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: .1rem 1.2rem;
  font-size: .92rem; }
.soft, .note, figcaption { color: var(--soft); }
.note, .make { font-size: .84rem; }
.question { font-size: 1.12rem; }
.findings li { margin: .35rem 0; }
.exhibit { margin: 0 0 1rem; }
.exhibit img { width: 100%; max-width: 54rem; height: auto; display: block; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: .84rem; font-variant-numeric: tabular-nums;
  border-top: 2px solid var(--ink); border-bottom: 2px solid var(--ink); margin: .5rem 0; }
th, td { padding: .16rem .5rem; text-align: right; }
td { white-space: nowrap; }
td.wide { white-space: normal; min-width: 12rem; }
th.text, td.text { text-align: left; }
thead th { vertical-align: bottom; font-weight: 600; }
thead tr:last-child th { border-bottom: 1px solid var(--ink); }
th.group { text-align: center; border-bottom: 1px solid var(--line); }
tr.section th { text-align: left; padding-top: .55rem; }
tbody tr:hover td { background: var(--back); }
code { font: .92em ui-monospace, Menlo, Consolas, monospace; overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; margin: .4rem 0;
  font-size: .94rem; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
@media (max-width: 40rem) { dl { grid-template-columns: 1fr; } dt { margin-top: .4rem; } }
@media print {
  body { font-size: 10pt; } nav, .make { display: none; } .scroll { overflow: visible; }
  table { font-size: 7pt; } th, td { padding: 1pt 3pt; } h2 { break-before: page; }
  figure, tr { break-inside: avoid; } h3, h4 { break-after: avoid; }
}
"""

_EXHIBIT = """
{% macro table(exhibit) %}
<div class="scroll"><table>
<thead>
{% for row in exhibit.head %}
<tr>{% set at = namespace(column=0) %}
{% for text, width in row %}
<th{% if width > 1 %} colspan="{{ width }}" class="group"
{%- elif at.column < exhibit.sidecar.text_columns %} class="text"{% endif %}>
{{- text -}}</th>{% set at.column = at.column + width %}
{% endfor %}</tr>
{% endfor %}
</thead>
<tbody>
{% for section, cells in exhibit.sidecar.rows %}
{% if section %}<tr class="section"><th colspan="{{ cells | length }}">{{ section }}</th></tr>
{% endif %}
<tr>{% for cell in cells %}
<td{% if loop.index0 in exhibit.sidecar.paragraphs %} class="text wide"
{%- elif loop.index0 < exhibit.sidecar.text_columns %} class="text"{% endif %}>
{{- cell -}}</td>{% endfor %}</tr>
{% endfor %}
</tbody>
</table></div>
{% endmacro %}
{% macro show(study, exhibit) %}
<h3 id="{{ study.name }}-{{ exhibit.id }}">{{ exhibit.sidecar.title }}</h3>
{% if exhibit.sidecar.caption %}<p>{{ exhibit.sidecar.caption }}</p>{% endif %}
<figure class="exhibit">
{% if exhibit.picture %}<img src="{{ exhibit.picture }}" alt="{{ exhibit.sidecar.title }}">
{% else %}{{ table(exhibit) }}{% endif %}
<figcaption class="note">{{ exhibit.sidecar.footnote }}</figcaption>
</figure>
<p class="make">Files: {% for name, link in exhibit.links %}
<a href="{{ link }}">{{ name }}</a>{{ " · " if not loop.last }}{% endfor %}.
Made by <code>{{ exhibit.command }}</code></p>
{% endmacro %}
"""

_RUN = """
{% macro run(study) %}
{% set about = study.about %}
<h3 id="{{ study.name }}-run">What was run</h3>
<dl>
<dt>Scale</dt><dd>{{ about.scale }}
{%- if about.scale in ("smoke", "demo") %}: smaller than the published study, to show how it
works and what it finds roughly; not a replication{% endif %}</dd>
<dt>Trials</dt><dd>{{ "{:,}".format(about.trials.ok) }} finished,
{{ "{:,}".format(about.trials.failed) }} failed, of {{ "{:,}".format(about.trials.planned) }}</dd>
{% if about.machines %}
<dt>Training time</dt><dd>{{ about.train_seconds | duration }} in all, summed over trials</dd>
{% endif %}
{% for machine in about.machines %}
<dt>Machine{{ " " ~ loop.index if about.machines | length > 1 }}</dt>
<dd>{{ machine.cpu }}; device {{ machine.device }}; {{ machine.threads }} thread(s) a trial;
{{ machine.platform }}; Python {{ machine.python }};
{% for name, version in machine.libraries | sorted_items %}
{{ name }} {{ version }}{{ ", " if not loop.last }}
{%- endfor %}
</dd>
{% endfor %}
{% if about.commits %}
<dt>Code</dt><dd>{% for commit in about.commits %}<code>{{ commit }}</code> {% endfor %}</dd>
{% endif %}
{% for name, experiment in about.experiments | sorted_items %}
<dt>{{ experiment.title or name }}</dt><dd>{{ name }}: {{ experiment.seeds | seeds }}</dd>
{% endfor %}
</dl>
{% if study.failures %}
<h4>Failed trials, left out of every number</h4>
<ul>{% for count, text in study.failures %}<li>{{ count }} × {{ text }}</li>{% endfor %}
{% if study.failures_left %}<li>and {{ study.failures_left }} more</li>{% endif %}</ul>
{% endif %}
<h3 id="{{ study.name }}-data">Data</h3>
{% for name, dataset in about.datasets | sorted_items %}
<h4>{{ dataset.title }} <span class="soft">({{ name }})</span></h4>
<dl>
{% if dataset.stand_in %}
<dt>Stands in for</dt><dd><strong>{{ dataset.stand_in }}</strong></dd>
{% endif %}
{% if dataset.rows %}<dt>Rows used</dt>
<dd>{{ "{:,}".format(dataset.rows) }}, {{ dataset.features | length }} features</dd>{% endif %}
{% if dataset.source %}<dt>Source</dt><dd>{{ dataset.source | plain }}</dd>{% endif %}
<dt>Licence</dt><dd>{{ dataset.licence or "not stated" }}</dd>
{% if dataset.citation %}<dt>Citation</dt><dd>{{ dataset.citation }}</dd>{% endif %}
{% if dataset.notes %}<dt>Notes</dt><dd>{{ dataset.notes | join(" ") }}</dd>{% endif %}
</dl>
{% endfor %}
{% endmacro %}
"""

_PAGE = """
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{ title }}</title>
<style>%STYLE%</style>
</head>
<body>
<header>
<h1>{{ title }}</h1>
<p class="soft">A score is a random variable: its distribution comes before any comparison.</p>
</header>
<nav aria-label="Contents">
{% for study in studies %}
<p><a href="#{{ study.name }}"><strong>{{ study.about.title }}</strong></a></p>
<ul>
<li><a href="#{{ study.name }}-findings">What the numbers say</a></li>
{% for exhibit in study.exhibits %}
<li><a href="#{{ study.name }}-{{ exhibit.id }}">{{ exhibit.sidecar.title }}</a></li>
{% endfor %}
<li><a href="#{{ study.name }}-run">What was run</a></li>
<li><a href="#{{ study.name }}-data">Data</a></li>
</ul>
{% endfor %}
</nav>
<main>
{% if not studies %}<p>No study was run.</p>{% endif %}
{% for study in studies %}
<section id="{{ study.name }}">
<h2>{{ study.about.title }}</h2>
{% if study.about.question %}<p class="question">{{ study.about.question }}</p>{% endif %}
{% if study.about.citation %}<p class="note">After: {{ study.about.citation }}</p>{% endif %}
<p class="note">Scale: {{ study.about.scale }}. {{ "{:,}".format(study.about.trials.ok) }} trials
finished, {{ "{:,}".format(study.about.trials.failed) }} failed.</p>
<h3 id="{{ study.name }}-findings">What the numbers say</h3>
{% if study.about.scale != "paper" and study.findings %}
<p>Few seeds at this scale: read directions, not sizes.</p>
{% endif %}
{% if study.findings %}
<ul class="findings">
{% for sentence, id, exhibit_title in study.findings %}
<li>{{ sentence }} <a class="note" href="#{{ study.name }}-{{ id }}">{{ exhibit_title }}</a></li>
{% endfor %}
</ul>
{% else %}<p>Too little was run at this scale to say anything.</p>{% endif %}
{% if study.about.notes %}
<h4>Notes</h4>
<ul>{% for note in study.about.notes %}<li>{{ note }}</li>{% endfor %}</ul>
{% endif %}
{% for exhibit in study.exhibits %}
{{ show(study, exhibit) }}
{% endfor %}
{{ run(study) }}
</section>
{% endfor %}
</main>
</body>
</html>
"""

TEMPLATE = _EXHIBIT.strip() + _RUN.strip() + _PAGE.strip().replace("%STYLE%", STYLE) + "\n"
