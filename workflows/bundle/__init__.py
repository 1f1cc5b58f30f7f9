"""A bundle: a folder with a composite model (graphs, one weight file, tokenizer, `pipeline.json`, evidence).

graphs + recipe + tokenizer ──write──▶ folder ──read──▶ Bundle (pipeline, files)
                                         └──verify──▶ missing or altered files
"""

from workflows.bundle.read import Bundle, read_bundle, read_summary
from workflows.bundle.schema import Pipeline
from workflows.bundle.verify import verify_bundle

__all__ = ["Bundle", "Pipeline", "read_bundle", "read_summary", "verify_bundle"]
