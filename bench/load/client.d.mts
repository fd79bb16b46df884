/** The part of `client.mjs` that the TypeScript of bench/ uses. */
export class Client {
  ask(command: string, options?: object): Promise<any>;
  stop(): void;
}
