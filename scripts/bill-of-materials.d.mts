/** The packages of these folders as CycloneDX. */
export function billOfMaterials(folders: readonly string[]): object;
export function packagesOf(modules: readonly string[]): readonly string[];
