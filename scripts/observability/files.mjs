import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { inRoot } from '../root.mjs';

/** @typedef {{ alert?: string, record?: string, expr: string, for?: string, labels?: Record<string, string>, annotations?: Record<string, string> }} Rule */

/** @typedef {{ id: number, type: string, title: string, gridPos: { x: number, y: number, w: number, h: number }, datasource?: object, targets?: { expr: string, refId: string, datasource: { uid: string } }[] }} Panel */

/** @typedef {{ uid: string, title: string, schemaVersion: number, templating: { list: { name: string }[] }, panels: Panel[] }} Dashboard */

export const PROMETHEUS = inRoot('deploy', 'observability', 'prometheus');
export const RUNBOOKS = inRoot('docs', 'runbooks');
const DASHBOARDS = inRoot('deploy', 'observability', 'grafana', 'dashboards');

/** @param {string} folder @param {string} ending @returns {string[]} absolute paths */
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

/** @returns {[string, Dashboard][]} with the name of the file */
export const allDashboards = () =>
  filesIn(DASHBOARDS, '.json').map((file) => [path.basename(file), JSON.parse(readFileSync(file, 'utf8'))]);

/** @returns {[place: string, expression: string][]} what rules and panels ask for */
export const allExpressions = () => [
  ...allRules().map(({ alert, record, expr }) => /** @type {[string, string]} */ ([alert ?? record ?? '', expr])),
  ...allDashboards().flatMap(([file, { panels }]) =>
    panels.flatMap(({ title, targets = [] }) =>
      targets.map(({ expr }) => /** @type {[string, string]} */ ([`${file}, ${title}`, expr])),
    ),
  ),
];
