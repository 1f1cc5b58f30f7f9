"""The Server page: bundles that answer other programs, with OpenAI's interface."""
