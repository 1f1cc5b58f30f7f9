"""The chat page: prompts, streamed replies, and branches of a conversation, which outlives any worker."""
