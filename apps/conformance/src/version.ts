/** The version of this package, as in package.json; builds replace it by scripts/build-version.mjs. */
export const version: string = '0.1.0';
