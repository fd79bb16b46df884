#!/usr/bin/env node
// Makes the VAPID key pair of an instance: `npx rookery-vapid-keys`, in a checkout `npm run -s vapid-keys`. Browsers
// bind their subscriptions to the public key, so an instance keeps its pair for good.
import { createECDH } from 'node:crypto';

const keys = createECDH('prime256v1');
const vapidPublicKey = keys.generateKeys('base64url');
// A private key that begins with zeros comes out shorter than the 32 bytes that others expect.
const scalar = keys.getPrivateKey();
const vapidPrivateKey = Buffer.concat([Buffer.alloc(32 - scalar.length), scalar]).toString('base64url');
console.log(JSON.stringify({ vapidPublicKey, vapidPrivateKey, subject: 'mailto:you@example.com' }, undefined, 2));
