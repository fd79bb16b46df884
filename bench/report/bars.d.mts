/**
 * @param picture the SVG, with its markers
 * @param page the Markdown of docs/delivery.md
 * @returns the picture with the bars that the page's table has
 * @throws Error if the picture has no place for them, or the page no table
 */
export declare function withBars(picture: string, page: string): string;
