import { readFile } from 'node:fs/promises';

/** Files of libraries that no service uses, by the package that ships them: drivers of other databases and transports
 * of other brokers. The packages' own entries load all of them, and CommonJS, or a package that does not declare
 * itself free of side effects, cannot be shaken. What is left out of a bundle is neither read nor parsed nor kept in
 * memory by eight services (decision record 0059). A pattern is matched against the path inside the package.
 * @type {Record<string, RegExp>} */
export const LEFT_OUT = {
  typeorm:
    /^(driver\/(aurora-mysql|aurora-postgres|better-sqlite3|capacitor|cockroachdb|cordova|expo|mongodb|mysql|nativescript|oracle|react-native|sap|spanner|sqljs|sqlserver)\/\w+Driver|entity-manager\/MongoEntityManager|repository\/MongoRepository|cache\/RedisQueryResultCache)\.js$/,
  '@nestjs/microservices':
    /^(client\/client-(grpc|kafka|mqtt|nats|redis|rmq|tcp)|server\/server-(grpc|kafka|mqtt|nats|redis|rmq|tcp)|exceptions\/grpc-exception)\.js$/,
};

/** The package and the path inside it, of a file below the innermost `node_modules`. */
const IN_PACKAGE = /.*[\\/]node_modules[\\/]((?:@[^\\/]+[\\/])?[^\\/]+)[\\/](.+)$/;

/** @param {string} file absolute */
export function isLeftOut(file) {
  const [, name = '', inside = ''] = IN_PACKAGE.exec(file) ?? [];
  return LEFT_OUT[name.replaceAll('\\', '/')]?.test(inside.replaceAll('\\', '/')) ?? false;
}

/** What a file of TypeScript's or of Babel's making exports, as a module and as CommonJS. */
const EXPORTED = /^export (?:class|const|function) (\w+)|^exports\.(\w+) = /gm;

/** What stands in the bundle for a file that is left out: every export is a class that refuses to be made.
 * @param {string} code of the file @throws {Error} if the file has no exports in a known form */
export function standIn(code) {
  const exports = [...code.matchAll(EXPORTED)]
    .map(([, exported, assigned]) => ({ name: exported ?? assigned, isModule: exported !== undefined }))
    .filter(({ name }) => name !== '__esModule');
  if (exports.length === 0) throw new Error('A file to leave out of the bundle exports nothing that is recognized');
  return exports
    .map(
      ({ name, isModule }) => `${isModule ? 'export const ' : 'exports.'}${name} = class {
  constructor() { throw new Error('${name} is left out of the bundle: see scripts/bundle/left-out.mjs'); }
};`,
    )
    .join('\n');
}

const UNDICI_ENTRY = /[\\/]node_modules[\\/]undici[\\/]index\.js$/;

/** What stands for undici's own entry, which loads fetch, web sockets, caches, mocks and interceptors as well. Another
 * export that a service comes to need is added here; until then its build fails. */
const UNDICI = `import Agent from './lib/dispatcher/agent.js';
import api from './lib/api/index.js';
import Client from './lib/dispatcher/client.js';
import Dispatcher from './lib/dispatcher/dispatcher.js';
import Pool from './lib/dispatcher/pool.js';
import buildConnector from './lib/core/connect.js';
Object.assign(Dispatcher.prototype, api);
export { Agent, buildConnector, Client, Dispatcher, Pool };`;

/** @type {import('rolldown').Plugin} */
export const leaveOut = {
  name: 'leave-out',
  load: {
    filter: { id: /[\\/]node_modules[\\/](typeorm|@nestjs[\\/]microservices|undici)[\\/]/ },
    async handler(id) {
      if (UNDICI_ENTRY.test(id)) return { code: UNDICI, moduleType: 'js' };
      if (!isLeftOut(id)) return null;
      return { code: standIn(await readFile(id, 'utf8')), moduleType: 'js' };
    },
  },
};
