/** A page of the static site: where it stands in it, and what it is. */
export interface SitePage {
  readonly path: string;
  readonly html: string;
}

/** The links of the pages to pages and headings of theirs that are not there. */
export function brokenLinks(pages: readonly SitePage[]): { page: string; href: string }[] {
  const ids = new Map(pages.map(({ path, html }) => [path, new Set(attributes(html, 'id'))]));
  return pages.flatMap(({ path, html }) =>
    attributes(html.replace(/<link [^>]*>/g, ''), 'href')
      .filter((href) => !/^[a-z]+:/i.test(href) && !isThere(ids, path, href))
      .map((href) => ({ page: path, href })),
  );
}

function isThere(ids: ReadonlyMap<string, ReadonlySet<string>>, page: string, href: string): boolean {
  const [path = '', heading] = href.split('#');
  const found =
    ids.get(path === '' ? page : path.endsWith('/') ? `${path}index.html` : `${path}.html`) ?? ids.get(path);
  return found !== undefined && (!heading || found.has(decodeURIComponent(heading)));
}

const attributes = (html: string, name: string): string[] =>
  Array.from(html.matchAll(new RegExp(` ${name}="([^"]*)"`, 'g')), ([, value]) => value!);
