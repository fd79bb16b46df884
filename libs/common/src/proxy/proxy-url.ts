/** Whether a text is the URL of a proxy: without a scheme, `proxy.example:3128` would be read as another scheme. */
export const isProxyUrl = (text: string): boolean => /^https?:\/\//i.test(text) && URL.canParse(text);
