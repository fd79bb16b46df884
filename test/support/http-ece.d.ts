declare module 'http_ece' {
  import type { ECDH } from 'node:crypto';

  interface Parameters {
    readonly version: 'aes128gcm';
    readonly privateKey: ECDH;
    /** base64url */
    readonly authSecret: string;
    /** base64url */
    readonly dh?: string;
    /** base64url */
    readonly salt?: string;
  }
  const ece: {
    encrypt(plaintext: Buffer, parameters: Parameters): Buffer;
    decrypt(body: Buffer, parameters: Parameters): Buffer;
  };
  export default ece;
}
