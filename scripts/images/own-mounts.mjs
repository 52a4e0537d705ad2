/**
 * A command that runs a shell script with mounts of its own: nobody else sees them, and they end with it.
 * @param {string} script
 * @param {readonly string[]} args $1, $2, … of the script
 * @param {readonly string[]} [options] what else is its own, as options of unshare
 * @returns {{ command: string, args: string[] }}
 */
export const withOwnMounts = (script, args, options = []) => ({
  command: 'unshare',
  args: ['--mount', ...options, 'sh', '-c', script, 'with-own-mounts', ...args],
});
