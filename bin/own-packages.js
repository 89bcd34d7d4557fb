// Packages come from the folder in which npm installed hedge, never from one further up, in the home folder or in
// NODE_PATH: where an optional package is missing, anybody who may write there could put their own in its place.
/* oxlint-disable no-underscore-dangle -- Node names its hook so */
const Module = require('node:module');
const path = require('node:path');

const OWN = path.dirname(__dirname);
const isIn = (folder, place) => place === folder || place.startsWith(folder + path.sep);
const lookUp = Module._resolveLookupPaths;

/** Again and again does no harm: it filters the same list. */
module.exports = () => {
  Module._resolveLookupPaths = (id, parent) => {
    const folders = lookUp(id, parent);
    const file = parent?.filename ?? '';
    const [installed] = /^.*?[\\/]node_modules(?=[\\/])/.exec(file) ?? (isIn(OWN, file) ? [OWN] : []);
    if (folders === null || installed === undefined || /^\.\.?[\\/]/.test(id)) return folders;
    return folders.filter((folder) => isIn(installed, folder));
  };
};
