/** @throws Error naming the variable, unless it is `true`, `false` or not set, which is false */
export function yesOrNo(environment: Readonly<Record<string, string | undefined>>, name: string): boolean {
  const text = environment[name] || 'false';
  if (text === 'true' || text === 'false') return text === 'true';
  throw new Error(`${name} must be true or false, got ${JSON.stringify(text)}`);
}
