// Sources import each other as './name.js', the file's name after the build. Jest reads the sources,
// where that file is './name.ts'.
/** @type {(request: string, options: { basedir: string, defaultResolver: (request: string, options: object) => string }) => string} */
module.exports = (request, options) => {
  if (/^\.{1,2}\//.test(request) && request.endsWith('.js') && !options.basedir.includes('node_modules')) {
    try {
      return options.defaultResolver(request.replace(/\.js$/, '.ts'), options);
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'MODULE_NOT_FOUND') throw error;
    }
  }
  return options.defaultResolver(request, options);
};
