/** `12.3 MB`, `1.3 GB` or `71 GB` */
export function sizeText(bytes: number): string {
  if (bytes < 1e9) return `${(bytes / 1e6).toFixed(1)} MB`;
  return `${(bytes / 1e9).toFixed(bytes < 10e9 ? 1 : 0)} GB`;
}
