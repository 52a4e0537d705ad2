// Reads docs/security/asvs.md and says what is wrong with it.

export const STATES = /** @type {const} */ (['met', 'met, no test', 'not applicable', 'open']);

/**
 * A line of the tables.
 * @typedef {object} Entry
 * @property {string} id such as `V6.2.1`
 * @property {number} level
 * @property {string} asked
 * @property {string} state
 * @property {string} how
 * @property {string} shown tests, or what would close it
 */

const ENTRY = /^\| (V\d+\.\d+\.\d+) \| (\d) \|(.*)\|(.*)\|(.*)\|(.*)\|$/;
const CHAPTER = /^## (V\d+) (.*)$/;

/**
 * @param {string} text of the page
 * @returns {Entry[]}
 */
export function entriesOf(text) {
  return text.split('\n').flatMap((line) => {
    const [, id = '', level, asked = '', state = '', how = '', shown = ''] = ENTRY.exec(line) ?? [];
    if (!id) return [];
    return [
      { id, level: Number(level), asked: asked.trim(), state: state.trim(), how: how.trim(), shown: shown.trim() },
    ];
  });
}

/**
 * The table of counts at the top, by chapter and state.
 * @param {string} text of the page
 */
export function countsOf(text) {
  const entries = entriesOf(text);
  /** @param {string} name @param {readonly Entry[]} of @param {(cell: string | number) => string} write */
  const row = (name, of, write = String) => {
    const counts = [...STATES.map((state) => of.filter((entry) => entry.state === state).length), of.length];
    return `| ${[name, ...counts].map(write).join(' | ')} |`;
  };
  const chapters = text.split('\n').flatMap((line) => {
    const [, id, title] = CHAPTER.exec(line) ?? [];
    return id
      ? [
          row(
            `${id} ${title}`,
            entries.filter((entry) => entry.id.startsWith(`${id}.`)),
          ),
        ]
      : [];
  });
  return [
    `| chapter | ${STATES.join(' | ')} | all |`,
    '|---|--:|--:|--:|--:|--:|',
    ...chapters,
    row('all', entries, (cell) => `**${cell}**`),
  ].join('\n');
}

/**
 * What is wrong with the tables.
 * @param {string} text of the page
 * @param {ReadonlyMap<string, number>} requirements level by id
 * @returns {string[]}
 */
export function problemsOf(text, requirements) {
  const entries = entriesOf(text);
  const ids = entries.map(({ id }) => id);
  return [
    ...[...requirements.keys()].filter((id) => !ids.includes(id)).map((id) => `${id} is missing`),
    ...ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `${id} occurs more than once`),
    // A line with a `|` too many or too few would not be read as an entry.
    ...text
      .split('\n')
      .flatMap((line) => (/^\|\s*V\d+\./.test(line) && !ENTRY.test(line) ? [`not read: ${line}`] : [])),
    ...entries.flatMap((entry) => problemsOfEntry(entry, requirements).map((problem) => `${entry.id} ${problem}`)),
  ];
}

/**
 * @param {Entry} entry
 * @param {ReadonlyMap<string, number>} requirements
 * @returns {string[]}
 */
function problemsOfEntry({ id, level, asked, state, how, shown }, requirements) {
  const known = requirements.get(id);
  const namesTest = linksOf(shown).some((link) => /\.spec\.(?:ts|mjs)$/.test(link));
  return [
    ...(known === undefined ? ['is not a requirement of levels 1 and 2'] : []),
    ...(known !== undefined && known !== level ? [`is of level ${known}`] : []),
    ...(asked === '' || how === '' ? ['says nothing'] : []),
    ...(STATES.some((one) => one === state) ? [] : [`has the unknown state "${state}"`]),
    ...(state === 'met' && !namesTest ? ['is met and names no test'] : []),
    ...(state === 'open' && shown === '' ? ['is open and does not say what would close it'] : []),
    ...(/^(?:met, no test|not applicable)$/.test(state) && shown !== '' ? ['has something in the last column'] : []),
  ];
}

/**
 * The targets of links to files and to places in them; addresses are left out.
 * @param {string} text
 */
export const linksOf = (text) =>
  [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target ?? '').filter((target) => !/^https?:/.test(target));

/**
 * Paths in code spans that begin in a folder of the repository.
 * @param {string} text
 */
export const pathsOf = (text) =>
  [...text.matchAll(/`((?:apps|libs|e2e|scripts|docs|k8s|deploy|examples)\/[^`\s]+)`/g)].map(([, path]) => path ?? '');

/**
 * The places of a page that links can lead to, as GitHub names them.
 * @param {string} text of a page in Markdown
 */
export const anchorsOf = (text) =>
  [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\- _]/gu, '')
      .replaceAll(' ', '-'),
  );
