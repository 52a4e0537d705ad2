import { readdirSync, readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { inRoot } from '../root.mjs';
import { isLeftOut, standIn } from './left-out.mjs';

/** @param {string} installed folder of a package @returns files that are left out of it; each has a stand-in */
const leftOutOf = (installed) => {
  const root = realpathSync(inRoot(installed));
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).map((file) => path.join(root, file));
  const leftOut = files.filter(isLeftOut);
  for (const file of leftOut) standIn(readFileSync(file, 'utf8'));
  return leftOut.map((file) => path.relative(root, file));
};

describe('what the bundle leaves out', () => {
  it('is every driver of TypeORM but that of PostgreSQL and the base it shares', () => {
    const drivers = leftOutOf('libs/database/node_modules/typeorm').filter((file) => file.startsWith('driver'));
    expect(drivers).toHaveLength(16);
    const ofPostgres = drivers.filter((file) => file.includes('postgres'));
    expect(ofPostgres).toEqual(['driver/aurora-postgres/AuroraPostgresDriver.js']);
  });

  it('is every client and server of the transports that Nest brings', () => {
    const transports = leftOutOf('libs/messaging/node_modules/@nestjs/microservices');
    expect(transports.filter((file) => /^(client|server)/.test(file))).toHaveLength(14);
  });

  it('is replaced by classes of the same names that refuse to be made', () => {
    const exports = {};
    new Function('exports', standIn('exports.__esModule = true;\nexports.OtherDriver = void 0;'))(exports);
    const { OtherDriver } = /** @type {Record<string, new () => unknown>} */ (exports);
    if (!OtherDriver) throw new Error('nothing stands in for OtherDriver');
    expect({} instanceof OtherDriver).toBe(false);
    expect(() => new OtherDriver()).toThrow('OtherDriver is left out of the bundle: see scripts/bundle/left-out.mjs');
  });

  it('never includes a file whose exports are in a form that is not recognized', () => {
    expect(() => standIn('module.exports = Everything;')).toThrow('nothing that is recognized');
  });

  it('does not touch the same path in another package', () => {
    expect(isLeftOut('/repository/node_modules/other/client/client-kafka.js')).toBe(false);
  });
});
