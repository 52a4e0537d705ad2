import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { inRoot } from '../root.mjs';

/**
 * @typedef {object} Rule
 * @property {string} [alert]
 * @property {string} [record]
 * @property {string} expr
 * @property {string} [for]
 * @property {Record<string, string>} [labels]
 * @property {Record<string, string>} [annotations]
 */

/**
 * @typedef {object} RuleTest
 * @property {string} name
 * @property {{ series: string, values: string }[]} input_series
 * @property {{ expr: string, eval_time: string, exp_samples: { labels: string, value: number }[] }[]} promql_expr_test
 */

/**
 * @typedef {object} Panel
 * @property {number} id
 * @property {string} type
 * @property {string} title
 * @property {{ x: number, y: number, w: number, h: number }} gridPos
 * @property {{ type: string, uid: string }} [datasource]
 * @property {{ expr: string, refId: string, datasource: { uid: string } }[]} [targets]
 */

/** @typedef {{ uid: string, title: string, schemaVersion: number, templating: { list: { name: string, definition?: string }[] }, panels: Panel[] }} Dashboard */

export const PROMETHEUS = inRoot('deploy', 'observability', 'prometheus');
export const GRAFANA = inRoot('deploy', 'observability', 'grafana');
export const RUNBOOKS = inRoot('docs', 'runbooks');

/**
 * @param {string} folder
 * @param {string} ending
 * @returns {string[]} absolute paths
 */
export const filesIn = (folder, ending) =>
  readdirSync(folder)
    .filter((name) => name.endsWith(ending))
    .sort()
    .map((name) => path.join(folder, name));

/** @param {string} file */
export const readYaml = (file) => parse(readFileSync(file, 'utf8'));

/** @returns {Rule[]} */
export const allRules = () =>
  filesIn(path.join(PROMETHEUS, 'rules'), '.yml').flatMap((file) =>
    readYaml(file).groups.flatMap((/** @type {{ rules: Rule[] }} */ { rules }) => rules),
  );

/** @returns {RuleTest[]} */
export const allRuleTests = () =>
  filesIn(path.join(PROMETHEUS, 'tests'), '.test.yml').flatMap((file) => readYaml(file).tests);

/** @returns {[string, Dashboard][]} with the name of the file */
export const allDashboards = () =>
  filesIn(path.join(GRAFANA, 'dashboards'), '.json').map((file) => [
    path.basename(file),
    JSON.parse(readFileSync(file, 'utf8')),
  ]);
