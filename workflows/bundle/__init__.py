"""A bundle is a folder that holds a composite model: graphs, one weight file, tokenizer, `pipeline.json`, evidence.

sub-graphs + recipe + tokenizer ──write──▶ folder ──read──▶ Bundle (pipeline, files)
                                              └──verify──▶ what is missing or altered
"""

from workflows.bundle.read import Bundle, read_bundle, read_summary
from workflows.bundle.schema import Pipeline
from workflows.bundle.verify import verify_bundle

__all__ = ["Bundle", "Pipeline", "read_bundle", "read_summary", "verify_bundle"]
