import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';

const SRC = path.resolve(import.meta.dirname, '..', 'src');

describe('the sources of the console', () => {
  it('write no text as markup, and keep nothing but by what a browser is known and the language', () => {
    const sources = readdirSync(SRC, { recursive: true, encoding: 'utf8' });
    const own = sources.filter((name) => /\.tsx?$/.test(name) && !name.endsWith('.spec.ts'));
    expect(own.length).toBeGreaterThan(20);
    const texts = own.map((name) => readFileSync(path.join(SRC, name), 'utf8'));
    expect(own.filter((_, index) => texts[index]?.includes('localStorage')).sort()).toEqual([
      'features/sign-in/known-devices.ts',
      'language.tsx',
    ]);
    expect(texts.join('')).not.toMatch(/dangerouslySetInnerHTML|innerHTML|document\.cookie/);
  });
});
