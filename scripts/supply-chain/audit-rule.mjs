/**
 * An advisory that we know and have not acted on, in `audit-exceptions.json`.
 * @typedef {object} AuditException
 * @property {string} advisory GHSA id
 * @property {string} package
 * @property {string} reason why it does no harm here, or why there is nothing to upgrade to
 * @property {string} expires the day on which it must be looked at again, `2026-12-31`; at most 90 days after it was written
 * @property {string} written the day on which somebody looked
 */

/**
 * What `pnpm audit --json` says of an advisory.
 * @typedef {object} Advisory
 * @property {string} github_advisory_id
 * @property {string} module_name
 * @property {string} severity
 * @property {string} title
 * @property {string} url
 * @property {readonly { version: string, paths: readonly string[] }[]} findings
 */

/** Longest life of an exception: four reviews a year. */
export const LONGEST_DAYS = 90;

const DAY_MS = 86_400_000;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const GHSA = /^GHSA(-[23456789cfghjmpqrvwx]{4}){3}$/;

/**
 * Compares what the registry knows with what we have explained.
 * @param {readonly Advisory[]} advisories of production dependencies
 * @param {readonly AuditException[]} exceptions
 * @param {string} today as `2026-12-31`
 * @returns {{ problems: string[], explained: string[] }} a sentence each
 */
export function judgeAudit(advisories, exceptions, today) {
  const problems = exceptions.flatMap((exception, index) =>
    problemsOf(exception, today).map((text) => `${index + 1}: ${text}`),
  );
  /** @type {Set<AuditException>} */
  const used = new Set();
  const explained = [];
  for (const advisory of advisories) {
    const exception = exceptions.find(
      (one) => one.advisory === advisory.github_advisory_id && one.package === advisory.module_name,
    );
    if (exception) used.add(exception);
    const text = describe(advisory);
    if (exception && exception.expires > today)
      explained.push(`${text}: ${exception.reason} (until ${exception.expires})`);
    else problems.push(text);
  }
  for (const { advisory, package: name } of exceptions.filter((one) => !used.has(one))) {
    problems.push(`The exception for ${advisory} in ${name} is not needed any more: remove it.`);
  }
  return { problems, explained };
}

/**
 * @param {AuditException} exception
 * @param {string} today
 * @returns {string[]}
 */
function problemsOf(exception, today) {
  const { advisory, package: name, reason, written, expires } = exception;
  const problems = [];
  if (!GHSA.test(advisory)) problems.push(`${advisory} is not the id of an advisory (GHSA-…).`);
  if (!name) problems.push(`The exception for ${advisory} does not name its package.`);
  // What is shorter than a sentence explains nothing to whoever looks at it in 90 days.
  if ((reason ?? '').trim().length < 40) problems.push(`The exception for ${advisory} does not say why.`);
  if (!DAY.test(written) || !DAY.test(expires)) {
    problems.push(`The exception for ${advisory} needs the days "written" and "expires", as 2026-12-31.`);
  } else if (Date.parse(expires) - Date.parse(written) > LONGEST_DAYS * DAY_MS || written > today) {
    problems.push(`The exception for ${advisory} lasts longer than ${LONGEST_DAYS} days.`);
  } else if (expires <= today) {
    problems.push(`The exception for ${advisory} has expired on ${expires}: look at it again.`);
  }
  return problems;
}

/** @param {Advisory} advisory */
function describe({ github_advisory_id, module_name, severity, title, url, findings }) {
  const versions = [...new Set(findings.map(({ version }) => version))].join(', ');
  const [path = ''] = findings.flatMap(({ paths }) => paths);
  return `${severity}: ${module_name} ${versions}, ${title} (${github_advisory_id}, ${url}; ${path.replaceAll('>', ' > ')})`;
}
