/** Where metrics are served, apart from the server's own port. */
export class MetricsAddress {
  constructor(
    readonly host: string,
    readonly port: number,
  ) {}
}
