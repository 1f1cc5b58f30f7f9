"""The chat page: prompts in, a streamed transcript with branches out; the conversation outlives any worker."""
