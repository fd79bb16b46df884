/** The Beams instance of the targets. */
export const instance = {
  id: '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60',
  secretKey: 'F8AC0B756E50DF235F642D6F0DC2CDE0328CD9184B3874C5E91AB2189BB722FE',
};
