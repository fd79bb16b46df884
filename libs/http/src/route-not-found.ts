/** No route matches below our prefix: answered as plain text, not as JSON (beams-wire §1). */
export class RouteNotFound extends Error {
  constructor() {
    super('404 page not found');
  }
}
