"""What a build of a real size costs: memory of the whole process tree, seconds, bytes written.

    shape ──checkpoints──▶ shards of random numbers ──builds──▶ `joinery build` under a sampler ──table──▶ Markdown
                                                        └─▶ genai's builder, in turns; a build killed again and again

    python -m tests.benchmarks.sizes 0.6B --genai [--rounds 2] [--limit 8GB] [--write FILE] [-- --precision int4]
    python -m tests.benchmarks.sizes 0.6B --kill 50
    python -m tests.benchmarks.sizes moe-30B --layers 4

What follows `--` goes to `joinery build` as it is (default: `--precision int4`). Each build has a JOINERY_HOME of its
own, so that none finds another's stages. One checkpoint stands in the work folder at a time; `--keep` leaves the last.

Peak is the largest sum of anonymous and shared memory (RssAnon + RssShmem) over the build's processes, read every
50 ms; pages of files (RssFile), which the system can drop, stand apart. Memory that a fork shares counts in each.
"""
