import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';

const ROOT = path.join(import.meta.dirname, '../../..');
const PAGE = readFileSync(path.join(ROOT, 'docs/receiving-webhooks.md'), 'utf8');

/** Each block of code with the example that was last linked before it. */
const blocks = [...PAGE.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(({ 1: code = '', index }) => {
  const links = [...PAGE.slice(0, index).matchAll(/\]\(\.\.\/(examples\/receivers\/src\/[^)]+)\)/g)];
  return { code, file: links.at(-1)?.[1] ?? 'none' };
});

describe('the code in docs/receiving-webhooks.md', () => {
  it('shows every framework', () => {
    const frameworks = blocks.map(({ file }) => file.split('/')[3]);
    expect(new Set(frameworks)).toEqual(new Set(['express', 'fastify', 'nest', 'next']));
  });

  it.each(blocks)('is that of $file', ({ code, file }) => {
    expect(readFileSync(path.join(ROOT, file), 'utf8')).toContain(code);
  });
});
