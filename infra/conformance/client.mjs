// The official TypeScript client, of either life: list, call, page, compare, be refused.
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

// Packages lie where npm put them, not beside this file.
const require = createRequire(join(process.cwd(), "package.json"));
const load = (name) => import(pathToFileURL(require.resolve(name)));
const parts = process.env.PARTS.split(" ");
const found = Object.assign({}, ...(await Promise.all(parts.map(load))));
const { Client, StreamableHTTPClientTransport } = found;

const headers = { Authorization: `Bearer ${process.env.TOKEN}` };
const transport = new StreamableHTTPClientTransport(new URL(process.env.URL), {
  requestInit: { headers },
});
const options = JSON.parse(process.env.OPTIONS ?? "{}");
const client = new Client({ name: "conformance", version: "1" }, options);
await client.connect(transport);

const call = (name, given) => client.callTool({ name, arguments: given });
const { tools } = await client.listTools();
const asked = { query: "mer", limit: 2 };
const first = (await call("search_media", asked)).structuredContent;
const more = { ...asked, cursor: first.next_cursor };
const second = (await call("search_media", more)).structuredContent;
const refs = [...first.hits, ...second.hits].map((hit) => hit.ref);
const compared = await call("get_media", { refs: refs.slice(0, 2) });
const refused = await call("search_media", { limit: 50 });
await client.close();

const told = {
  tools: tools.map((tool) => tool.name),
  refs,
  compared: compared.structuredContent.hits.map((hit) => hit.ref),
  refused: refused.isError === true && refused.content[0].text.includes("10"),
};
console.log(JSON.stringify(told));
