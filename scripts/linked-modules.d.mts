export function linkModules(root: string, copy: string, placeOf?: (name: string) => string): void;
