import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { readArguments } from '../new-service.mjs';
import { inRoot } from '../root.mjs';
import { serviceFiles } from './files.mjs';
import { enterService } from './service-list.mjs';

describe('new:service', () => {
  it('takes a name, a port and a noun', () => {
    expect(readArguments(['quote-engine', '4007', 'quote'])).toEqual({
      name: 'quote-engine',
      port: 4007,
      noun: 'quote',
    });
    expect(readArguments(['quotes', '4007']).noun).toBe('example');
    for (const args of [
      [],
      ['Quote', '4007'],
      ['quotes'],
      ['quotes', '80'],
      ['quotes', '4007', 'a b'],
      ['../x', '4007'],
    ]) {
      expect(() => readArguments(args)).toThrow(/npm run new:service/);
    }
  });

  it('enters the service in the list', () => {
    const list = readFileSync(inRoot('libs', 'contracts', 'src', 'services.ts'), 'utf8');
    const entered = enterService(list, 'quote-engine', 4107);
    expect(entered).toMatch(/SERVICES = \[[^\]]*'quote-engine',\n\] as const/);
    expect(entered).toMatch(/DEVELOPMENT_PORTS[^}]*'quote-engine': 4107,\n\};/);
    expect(() => enterService(list, 'custom-objects', 4107)).toThrow(/already/);
    expect(() => enterService(list, 'quote-engine', 4003)).toThrow(/meets/);
    expect(() => enterService(list, 'quote-engine', 5003)).toThrow(/meets/);
  });

  it('lays files out as every service does', () => {
    expect(Object.keys(serviceFiles('quote-engine', 'quote')).sort()).toEqual([
      'README.md',
      'package.json',
      'src/app.module.ts',
      'src/config.ts',
      'src/main.ts',
      'src/quote/quote.controller.ts',
      'src/quote/quote.dto.ts',
      'src/quote/quote.module.ts',
      'src/quote/quote.service.ts',
      'src/quote/quote.spec.ts',
      'test/quote-engine.spec.ts',
    ]);
  });
});
