import { parentPort } from 'node:worker_threads';
import { encryptBatch, type EncryptionBatch } from './encryption-batch.js';

// The thread that `Encryptor` starts: it answers each batch with the encrypted bodies.
parentPort?.on('message', (batch: EncryptionBatch) => {
  const encrypted = encryptBatch(batch);
  parentPort?.postMessage(encrypted, [encrypted.bodies.buffer, encrypted.valid.buffer]);
});
