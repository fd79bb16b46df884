const tones: Readonly<Record<string, string>> = { presence: 'good', private: 'accent', encrypted: 'violet' };

/** The tone of the badge for a kind of channel. */
export const toneOfKind = (kind: string): string => tones[kind.replace('-cache', '')] ?? '';
