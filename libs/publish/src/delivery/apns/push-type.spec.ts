import { expect, it } from 'vitest';
import { apnsPushTypes, topicOf } from './push-type.js';

const app = 'com.example.app';

it.each([
  ['alert', app],
  ['background', app],
  ['complication', `${app}.complication`],
  ['controls', `${app}.push-type.controls`],
  ['fileprovider', `${app}.pushkit.fileprovider`],
  ['liveactivity', `${app}.push-type.liveactivity`],
  ['location', `${app}.location-query`],
  ['pushtotalk', `${app}.voip-ptt`],
  ['voip', `${app}.voip`],
  ['widgets', `${app}.push-type.widgets`],
] as const)('a push of type %s has the topic %s', (type, topic) => {
  expect(topicOf(type, app)).toBe(topic);
  expect(apnsPushTypes).toContain(type);
});

it('keeps the topic of a device that registered with the whole topic', () => {
  expect(topicOf('voip', `${app}.voip`)).toBe(`${app}.voip`);
});
