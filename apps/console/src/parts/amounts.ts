const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

/** `950`, `12.4K`. */
export const amount = (value: number): string =>
  Number.isInteger(value) && value < 10_000 ? whole.format(value) : short.format(value);

/** `512 B`, `12 KB`, `1.4 GB`. */
export function bytes(value: number): string {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  const step = value < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(value) / 10));
  const scaled = value / 1024 ** step;
  return `${scaled < 10 && step > 0 ? scaled.toFixed(1) : Math.round(scaled)} ${units[step]}`;
}

export const percent = (share: number): string => `${Math.round(share * 100)}%`;

/** `1 channel`, `2 channels`. */
export const counted = (value: number, one: string, many = `${one}s`): string =>
  `${amount(value)} ${value === 1 ? one : many}`;
