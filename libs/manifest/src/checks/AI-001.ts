import { isScope, SCOPES } from '@crm/contracts';
import type { Check } from '../check.js';
import { type Draft, entriesOf } from '../draft.js';
import { pointer } from '../json-pointer.js';
import type { Problem } from '../problem.js';
import type { ManifestTool } from '../schema/manifest.js';
import { suggestion } from '../suggestion.js';
import { unusableParts } from '../tool-schema.js';
import { schemaProblems } from '../validate.js';

/** What the common model APIs accept as the name of a tool. */
const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;

export const AI_001: Check = {
  id: 'AI-001',
  title: 'Assistant tools have a valid schema, a scope, and confirmation if they write',
  severity: 'blocker',
  doc: {
    why: 'A model calls the tools on behalf of a user. The schema limits what it can pass, the scope limits what it can reach, and a person confirms what changes data.',
    fix: 'Give each tool a JSON Schema of type `object` (draft 2020-12) as `inputSchema`, with patterns that compile and references to its own parts only, and a known `scope`. A tool that is not `readOnly` needs `requiresConfirmation: true`.',
  },
  *run({ manifest }) {
    const seen = new Set<string>();
    for (const [i, tool] of entriesOf(manifest.assistant?.tools)) {
      const at = pointer('assistant', 'tools', i);
      yield* toolProblems(tool, at);
      if (tool.name === undefined) continue;
      if (seen.has(tool.name)) yield { pointer: `${at}/name`, message: `The tool "${tool.name}" is declared twice.` };
      seen.add(tool.name);
    }
  },
};

function* toolProblems(tool: Draft<ManifestTool>, at: string): Generator<Problem> {
  if (tool.name !== undefined && !TOOL_NAME.test(tool.name)) {
    yield {
      pointer: `${at}/name`,
      message: 'The name of a tool must have 1 to 64 letters, digits, underscores and hyphens.',
    };
  }
  if (tool.inputSchema !== undefined) {
    const problems = schemaProblems(tool.inputSchema);
    for (const problem of problems) {
      yield { pointer: `${at}/inputSchema`, message: `This is not a JSON Schema: ${problem}.` };
    }
    if (problems.length === 0) {
      for (const { pointer: place, message } of unusableParts(tool.inputSchema)) {
        yield { pointer: `${at}/inputSchema${place}`, message };
      }
    }
    if (tool.inputSchema.type !== undefined && tool.inputSchema.type !== 'object') {
      yield { pointer: `${at}/inputSchema/type`, message: 'The input of a tool must be an object.' };
    }
  }
  if (tool.scope === undefined) {
    yield { pointer: at, message: 'The tool has no scope.' };
  } else if (!isScope(tool.scope)) {
    yield {
      pointer: `${at}/scope`,
      message: `The scope "${tool.scope}" is unknown.${suggestion(tool.scope, SCOPES)}`,
    };
  }
  if (tool.readOnly !== true && tool.requiresConfirmation !== true) {
    yield { pointer: at, message: 'A tool that is not readOnly needs requiresConfirmation: true.' };
  }
}
