/** The packages of `folders` as CycloneDX: what ours in `folder` consists of. */
export function billOfMaterials(folder: string, folders: readonly string[]): object;
export function packagesOf(modules: readonly string[]): readonly string[];
