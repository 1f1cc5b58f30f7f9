// OpenAI's client for Node asks what the tests of the Python client ask: node openai_node.mjs URL TOKEN → JSON.
import OpenAI from "openai";
import { readFileSync } from "node:fs";

const [url, token, tools] = process.argv.slice(2);
const client = new OpenAI({ baseURL: url, apiKey: token, maxRetries: 0 });
const messages = [{ role: "user", content: "8*7=" }];
const functions = JSON.parse(tools);
const seen = { version: JSON.parse(readFileSync("node_modules/openai/package.json", "utf8")).version };

const whole = await client.chat.completions.create({ model: "demo", messages });
seen.chat = whole.choices[0].message.content;

seen.stream = "";
const stream = { stream: true, stream_options: { include_usage: true } };
for await (const chunk of await client.chat.completions.create({ model: "demo", messages, ...stream })) {
  seen.stream += chunk.choices[0]?.delta?.content ?? "";
  seen.usage = chunk.usage?.completion_tokens ?? seen.usage;
}

const named = { tool_choice: { type: "function", function: { name: "find" } } };
const called = await client.chat.completions.create({ model: "calling", messages, tools: functions, ...named });
const call = called.choices[0].message.tool_calls[0];
seen.call = [call.function.name, JSON.parse(call.function.arguments)];
const answered = [...messages, called.choices[0].message, { role: "tool", tool_call_id: call.id, content: "yes" }];
const after = await client.chat.completions.create({ model: "calling", messages: answered, tools: functions });
seen.after = after.choices[0].finish_reason;

const runner = client.chat.completions.stream({ model: "calling", messages, tools: functions, ...named });
const streamed = (await runner.finalChatCompletion()).choices[0].message.tool_calls[0];
seen.streamed_call = [streamed.function.name, JSON.parse(streamed.function.arguments)];

const schema = { type: "object", properties: { n: { type: "integer" } }, required: ["n"], additionalProperties: false };
const response_format = { type: "json_schema", json_schema: { name: "number", schema } };
const fitting = await client.chat.completions.create({ model: "demo", messages, response_format, max_tokens: 24 });
seen.fits = JSON.parse(fitting.choices[0].message.content);

seen.vectors = (await client.embeddings.create({ model: "vectors", input: ["the cat", "the dog sat"] })).data.map(
  (one) => one.embedding,
);

seen.response = (await client.responses.create({ model: "demo", input: "8*7=" })).output_text;
seen.response_stream = "";
for await (const event of await client.responses.create({ model: "demo", input: "8*7=", stream: true }))
  if (event.type === "response.output_text.delta") seen.response_stream += event.delta;
seen.models = (await client.models.list()).data.map((one) => one.id).sort();

try {
  await client.chat.completions.create({ model: "other", messages });
} catch (error) {
  seen.error = [error.constructor.name, error.status, error.code];
}
console.log(JSON.stringify(seen));
