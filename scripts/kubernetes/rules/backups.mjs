import { databases, find, nameOf, ofKind } from '../manifests.mjs';

/** @typedef {import('../render.mjs').Manifest} Manifest */

/**
 * Every cluster of PostgreSQL keeps each change on two instances, archives its WAL and is backed up regularly.
 * @param {readonly Manifest[]} manifests
 * @returns {string[]}
 */
export function backupProblems(manifests) {
  return databases(manifests).flatMap((database) => {
    const { plugins = [], postgresql, instances } = database.spec;
    const archiver = plugins.find((/** @type {any} */ { isWALArchiver }) => isWALArchiver);
    const schedule = ofKind(manifests, 'ScheduledBackup').find(
      ({ spec }) => spec.cluster.name === database.metadata.name,
    );
    const problems = [];
    if (instances < 3 || postgresql.synchronous?.dataDurability !== 'required') {
      problems.push('the loss of one instance can lose a change');
    }
    if (!archiver) problems.push('nothing archives its WAL');
    else if (!find(manifests, 'ObjectStore', archiver.parameters.barmanObjectName)) {
      problems.push(`there is no store ${archiver.parameters.barmanObjectName} for its WAL`);
    }
    if (!schedule || schedule.spec.suspend) problems.push('nothing makes base backups of it');
    else if (archiver && schedule.spec.pluginConfiguration?.name !== archiver.name) {
      problems.push('its base backups go elsewhere than its WAL');
    }
    return problems.map((problem) => `${nameOf(database)}: ${problem}`);
  });
}
