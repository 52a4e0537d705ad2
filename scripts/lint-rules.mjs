// Rules of this repository that the linter does not know: node scripts/lint-rules.mjs. Exits 1 if one is broken.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from './root.mjs';

/** pattern: what no line of code may match; except: paths. @typedef {{ name: string, pattern: RegExp, except: readonly RegExp[] }} Rule */

const TESTS = [/\.spec\.ts$/, /\/test\//, /^e2e\//, /^bench\//, /^libs\/testing\//];

/** @type {readonly Rule[]} */
export const RULES = [
  {
    name: 'the environment is read in config.ts only',
    pattern: /\bprocess\s*\.\s*env\b|\bprocess\s*\[\s*['"]env['"]|\{[^}]*\benv\b[^}]*\}\s*=\s*process\b/,
    except: [...TESTS, /\/src\/config\.ts$/, /^libs\/runtime\/src\/configuration\/environment\.ts$/],
  },
  {
    name: 'the outside is called through egress only',
    pattern: /(?<![\w.#])(?:globalThis\s*\.\s*)?fetch\s*\(|\bnew\s+(?:WebSocket|EventSource|XMLHttpRequest)\b/,
    // Pages run in a browser, which has no other client.
    except: [...TESTS, /^libs\/egress\//, /^libs\/sdk\//, /^apps\/(?:console|cli)\//, /^libs\/api-client\//],
  },
  {
    name: 'raw sockets are opened by egress only',
    pattern:
      /import\s*(?:type\s*)?\{[^}]*\b(?:connect|createConnection|Socket)\b[^}]*\}\s*from\s*['"](?:node:)?(?:net|tls)['"]/,
    except: [...TESTS, /^libs\/egress\//],
  },
  {
    name: 'no code is made from text',
    pattern: /\bnew\s+Function\s*\(|(?<![\w.])Function\s*\(\s*['"`]|(?<![\w.])eval\s*\(|\bvm\.run/,
    except: [],
  },
  {
    name: 'what nobody may guess comes from node:crypto, not from Math.random',
    pattern: /\bMath\s*\.\s*random\b/,
    // When something is tried again, how long a connection lives, and which traces are kept.
    except: [
      ...TESTS,
      /^libs\/database\/src\/worker\/backoff\.ts$/,
      /^libs\/egress\/src\/lanes\.ts$/,
      /^libs\/telemetry\/src\/open-telemetry\.ts$/,
      /^apps\/webhook-dispatcher\/src\/delivery\/(?:attempt|due-delivery\.worker)\.ts$/,
    ],
  },
  {
    // In Node 20 it refuses valid texts once it has been compiled: libs/address-policy/src/url.ts.
    name: 'URLs are parsed by parseUrl of @crm/address-policy, not asked about by URL.canParse',
    pattern: /\bURL\s*\.\s*canParse\b/,
    except: [],
  },
  {
    name: 'no test is skipped or run alone',
    pattern: /\b(?:it|test|describe)\s*\.\s*(?:skip|only|todo)\b|\b(?:xit|xdescribe|fit|fdescribe)\s*\(/,
    except: [],
  },
];

/** The lines of a file that break a rule. Comments are not code. @param {string} path from the root of the repository,
 * with slashes @param {string} text @returns {string[]} `path:line rule` */
export function problemsOf(path, text) {
  const rules = RULES.filter(({ except }) => !except.some((pattern) => pattern.test(path)));
  const code = withoutComments(text);
  return rules.flatMap(({ name, pattern }) =>
    [...code.matchAll(new RegExp(pattern, 'g'))].map(
      ({ index }) => `${path}:${code.slice(0, index).split('\n').length} ${name}`,
    ),
  );
}

/** The text with comments blanked out; line numbers stay. A string that holds what looks like a comment keeps it.
 * @param {string} text */
function withoutComments(text) {
  const token = /'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g;
  return text.replace(token, (part) => (/^\/[/*]/.test(part) ? part.replace(/[^\n]/g, ' ') : part));
}

const SOURCE = /^(?!.*(?:^|\/)(?:node_modules|dist|\.cache)\/).*\.(?:ts|tsx|mts|js|mjs)$/;

/** @param {string} folder @returns {string[]} source files below it, from the root of the repository, with slashes */
const sourceFiles = (folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .map(({ name, parentPath }) => relative(ROOT, join(parentPath, name)).replaceAll('\\', '/'))
    .filter((file) => SOURCE.test(file));

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const files = ['apps', 'libs', 'e2e', 'bench'].flatMap(sourceFiles);
  const problems = files.flatMap((file) => problemsOf(file, readFileSync(join(ROOT, file), 'utf8')));
  process.stdout.write(
    problems.length > 0 ? `${problems.join('\n')}\n` : `${files.length} files follow the rules of this repository\n`,
  );
  process.exitCode = problems.length > 0 ? 1 : 0;
}
