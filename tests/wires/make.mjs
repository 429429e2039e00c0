// Makes the schemas beside it, which the tests check requests against, from the types that the makers of the servers
// publish in their clients for TypeScript:
//
//   node tests/wires/make.mjs
//
// It installs those packages in a temporary folder. Of unions only what requests of ours may hold is kept, so that a
// schema allows less than its maker does, and what is then not used is left out. The descriptions are left out too.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const packages = { openai: "6.49.0", "@anthropic-ai/sdk": "1.12.0", "@google/genai": "2.32.0",
    "ts-json-schema-generator": "2.4.0" };

const schemas = {
    responses: {
        from: "openai",
        type: `import type { ResponseCreateParamsNonStreaming as P, ResponseCreateParamsStreaming as S }
            from "openai/resources/responses/responses"; export type Request = P | S;`,
        keep: { ResponseInputItem: ["EasyInputMessage", "ResponseOutputMessage", "ResponseComputerToolCall",
                "ResponseInputItem.ComputerCallOutput", "ResponseFunctionToolCall",
                "ResponseInputItem.FunctionCallOutput", "ResponseReasoningItem"],
            Tool: ["FunctionTool", "ComputerTool", "ComputerUsePreviewTool"] },
    },
    anthropic: {
        from: "@anthropic-ai/sdk",
        type: `import type { MessageCreateParamsNonStreaming as P, MessageCreateParamsStreaming as S }
            from "@anthropic-ai/sdk/resources/messages"; export type Request = P | S;`,
        keep: { ContentBlockParam: ["TextBlockParam", "ImageBlockParam", "ThinkingBlockParam",
                "RedactedThinkingBlockParam", "ToolUseBlockParam", "ToolResultBlockParam"],
            ToolUnion: ["Tool", "ComputerToolset20260801"], "in ToolResultBlockParam": ["TextBlockParam",
                "ImageBlockParam"] },
    },
    anthropic_beta: {
        from: "@anthropic-ai/sdk",
        type: `import type { MessageCreateParamsNonStreaming as P, MessageCreateParamsStreaming as S }
            from "@anthropic-ai/sdk/resources/beta/messages"; export type Request = P | S;`,
        keep: { BetaContentBlockParam: ["BetaTextBlockParam", "BetaImageBlockParam", "BetaThinkingBlockParam",
                "BetaRedactedThinkingBlockParam", "BetaToolUseBlockParam", "BetaToolResultBlockParam"],
            BetaToolUnion: ["BetaTool", "BetaToolComputerUse20251124"], "in BetaToolResultBlockParam": [
                "BetaTextBlockParam", "BetaImageBlockParam"] },
    },
    // The client for Gemini takes apart what it is given; what it sends is made of these.
    gemini: {
        from: "@google/genai",
        type: `import type { Content, Tool, ToolConfig, GenerationConfig, SafetySetting } from "@google/genai";
            export type Request = { contents: Content[]; systemInstruction?: Content; tools?: Tool[];
                toolConfig?: ToolConfig; generationConfig?: GenerationConfig; safetySettings?: SafetySetting[] };`,
        keep: {},
    },
};

const here = path.dirname(fileURLToPath(import.meta.url));
const work = fs.mkdtempSync(path.join(os.tmpdir(), "wires-"));
fs.writeFileSync(path.join(work, "package.json"), JSON.stringify({ private: true, type: "module" }));
execFileSync("npm", ["install", "--no-audit", "--no-fund", "--ignore-scripts", "--silent",
    ...Object.entries(packages).map(([name, version]) => `${name}@${version}`)], { cwd: work, stdio: "inherit" });
const found = createRequire(path.join(work, "package.json")).resolve("ts-json-schema-generator");
const { createGenerator } = await import(pathToFileURL(found));

const nameOf = (reference) => decodeURIComponent(reference.split("/").pop());

// Keeps those branches of a union, wherever it is inside.
function keepIn(node, names) {
    if (node === null || typeof node !== "object") return;
    if (Array.isArray(node.anyOf) && node.anyOf.some((one) => one.$ref && names.includes(nameOf(one.$ref))))
        node.anyOf = node.anyOf.filter((one) => !one.$ref || names.includes(nameOf(one.$ref)));
    Object.values(node).forEach((inner) => keepIn(inner, names));
}

function used(root, definitions) {
    const names = new Set();
    const visit = (node) => {
        if (node === null || typeof node !== "object") return;
        if (node.$ref && !names.has(nameOf(node.$ref))) {
            names.add(nameOf(node.$ref));
            visit(definitions[nameOf(node.$ref)]);
        }
        Object.values(node).forEach(visit);
    };
    visit(root);
    return names;
}

function renamed(node) {
    if (node === null || typeof node !== "object") return node;
    if (Array.isArray(node)) return node.map(renamed);
    return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, key === "$ref"
        ? "#/definitions/" + nameOf(value) : renamed(value)]));
}

for (const [name, { from, type, keep }] of Object.entries(schemas)) {
    const source = path.join(work, name + ".ts");
    fs.writeFileSync(source, type);
    const generator = createGenerator({ path: source, type: "Request", skipTypeCheck: true, jsDoc: "none",
        additionalProperties: false, expose: "all" });
    const { definitions } = generator.createSchema("Request");
    for (const [union, names] of Object.entries(keep)) {
        const target = definitions[union.replace(/^in /, "")];
        if (!target) throw new Error(`${from} has no ${union}`);
        for (const one of names) if (!definitions[one]) throw new Error(`${from} has no ${one}`);
        keepIn(target, names);
    }
    const root = { $ref: "#/definitions/Request" };
    const names = used(root, definitions);
    const licence = JSON.parse(fs.readFileSync(path.join(work, "node_modules", from, "package.json"))).license;
    const schema = { $comment: `made by make.mjs from the types of the npm package ${from} ${packages[from]} (${licence})`,
        ...root, definitions: Object.fromEntries([...names].sort().map((one) => [one, renamed(definitions[one])])) };
    const file = path.join(here, name + ".json");
    fs.writeFileSync(file, JSON.stringify(schema, null, 1) + "\n");
    console.log(`${file}: ${names.size} definitions, ${fs.statSync(file).size} bytes`);
}
fs.rmSync(work, { recursive: true });
