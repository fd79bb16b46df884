/** The push instance of the recipes. */
export const instanceId = '8a0c7a8e-6f4b-4b62-9c4f-0e8f6a4d2b11';
