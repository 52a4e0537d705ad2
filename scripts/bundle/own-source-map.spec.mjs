import { SourceMap } from 'node:module';
import { describe, expect, it } from '@jest/globals';
import { encode } from '@jridgewell/sourcemap-codec';
import { keepOwnSources } from './own-source-map.mjs';

describe('the source map of a bundle', () => {
  const map = keepOwnSources({
    version: 3,
    file: 'main.js',
    sourceRoot: '',
    sourcesContent: [],
    sources: ['../node_modules/pg/client.js', '../src/main.ts', '../node_modules/unused/index.js'],
    names: ['query', 'start'],
    mappings: encode([
      [[0, 0, 4, 0, 0]],
      [
        [0, 1, 9, 2],
        [8, 1, 9, 12, 1],
      ],
      [],
      [[0, 0, 5, 0]],
      [[2, 0, 6, 0]],
      [[0, 1, 20, 0]],
    ]),
  });
  const found = new SourceMap(map);

  it('leads from our code to its source', () => {
    expect(found.findEntry(1, 9)).toMatchObject({ originalSource: '../src/main.ts', originalLine: 9, name: 'start' });
    expect(found.findEntry(5, 3)).toMatchObject({ originalSource: '../src/main.ts', originalLine: 20 });
  });

  it('says nothing about libraries, and does not take them for the code before them', () => {
    for (const line of [0, 3, 4]) {
      expect(/** @type {{ originalSource?: string }} */ (found.findEntry(line, 3)).originalSource).toBeUndefined();
    }
    expect(map.sources).toEqual(['../src/main.ts']);
    expect(map.names).toEqual(['start']);
  });
});
