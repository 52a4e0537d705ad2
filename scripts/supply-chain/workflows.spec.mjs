import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { inRoot, ROOT } from '../root.mjs';
import { temporaryFolder } from '../testing/temporary-folder.mjs';

const FOLDER = inRoot('.github', 'workflows');
const workflows = readdirSync(FOLDER).map(
  (name) => /** @type {const} */ ([name, parse(readFileSync(path.join(FOLDER, name), 'utf8'))]),
);

/** An action of others by its commit; an image by its digest. */
const PINNED = /^[\w.-]+\/[\w./-]+@[0-9a-f]{40}$|^docker:\/\/.+@sha256:[0-9a-f]{64}$|^\.\//;

/** @param {{ jobs: Record<string, { uses?: string, steps?: { uses?: string }[] }> }} workflow
 * @returns {string[]} what it uses of others without saying exactly which */
const unpinned = ({ jobs }) =>
  Object.values(jobs)
    .flatMap(({ uses, steps = [] }) => [uses, ...steps.map((step) => step.uses)])
    .filter((uses) => uses !== undefined)
    .filter((uses) => !PINNED.test(uses));

const inFolder = temporaryFolder();

describe('continuous integration', () => {
  it.each(workflows)('%s uses nothing of others that can change under its name, and may only read', (_, workflow) => {
    expect(unpinned(workflow)).toEqual([]);
    expect(workflow.permissions).toEqual({ contents: 'read' });
  });

  it.each(['actions/checkout@v6', 'actions/checkout@main', 'a/b/.github/workflows/c.yml@v1'])(
    'may not use %s',
    (uses) => {
      expect(unpinned({ jobs: { calling: { uses }, stepping: { steps: [{ uses }] } } })).toEqual([uses, uses]);
    },
  );

  it('runs what everybody runs', () => {
    const ci = new Map(workflows).get('ci.yml');
    expect(ci.jobs.test.steps.at(-1).run).toBe('.ci/run');
    const [advisories, age] = ci.jobs.audit.steps.slice(-2);
    expect(advisories.run).toBe('npm run audit');
    expect(age.run).toBe('node scripts/pnpm.mjs install --frozen-lockfile --lockfile-only');
  });

  it('checks out the commit that it is for', () => {
    const [origin, checkout] = [inFolder('platform', 'repository.git'), inFolder('checkout')];
    for (const folder of [origin, checkout]) mkdirSync(folder, { recursive: true });
    const author = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com'];
    const git = (/** @type {string} */ cwd, /** @type {string[]} */ ...args) =>
      execFileSync('git', [...author, ...args], { encoding: 'utf8', cwd }).trim();
    git(origin, 'init', '--quiet');
    for (const subject of ['first', 'second']) {
      git(origin, 'commit', '--quiet', '--allow-empty', '--message', subject);
    }
    const place = { GITHUB_SERVER_URL: `file://${inFolder()}`, GITHUB_REPOSITORY: 'platform/repository' };
    const env = { ...process.env, ...place, TOKEN: 'token', GITHUB_SHA: git(origin, 'rev-parse', 'HEAD~1') };
    const script = new Map(workflows).get('ci.yml').env.CHECKOUT;
    execFileSync('bash', ['-euo', 'pipefail', '-c', script], { cwd: checkout, env });
    expect(git(checkout, 'log', '--format=%s')).toBe('first');
  });
});

describe('proposals of new versions', () => {
  it('cover everything that has versions, in groups', () => {
    const { updates } = parse(readFileSync(path.join(ROOT, '.github', 'dependabot.yml'), 'utf8'));
    const ecosystems = updates.map((/** @type {{ 'package-ecosystem': string }} */ one) => one['package-ecosystem']);
    expect(ecosystems.toSorted()).toEqual(['docker', 'docker-compose', 'github-actions', 'npm']);
  });
});
