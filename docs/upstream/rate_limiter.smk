# Snakemake's job rate limiter adds wake-ups that never end: see rate_limiter.md.
# Quick jobs end first. Then two long jobs hold both cores while two others are ready.
QUICK = range(int(config.get("quick", 100)))
LONG = range(4)


rule all:
    input:
        expand("quick/{i}", i=QUICK),
        expand("long/{i}", i=LONG),


rule quick:
    output:
        touch("quick/{i}"),
    priority: 1
    shell:
        "true"


rule long:
    output:
        touch("long/{i}"),
    params:
        seconds=config.get("seconds", 20),
    shell:
        "sleep {params.seconds}"


if config.get("unlimited"):

    onstart:
        workflow.scheduler.job_rate_limiter = None
