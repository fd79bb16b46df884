const tones: Readonly<Record<string, string>> = { presence: 'good', private: 'accent', encrypted: 'violet' };

/** What tone the badge of a kind of channel has. */
export const toneOfKind = (kind: string): string => tones[kind.replace('-cache', '')] ?? '';
