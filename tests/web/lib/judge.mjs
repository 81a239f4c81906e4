// Reads records from standard input, one a line, and says of each what is wrong with it: null, or [event, reason].
import { createInterface } from 'node:readline';
import { verify } from '../../../client_demo/web/verify.js';

for await (const line of createInterface({ input: process.stdin })) {
  const wrong = verify(JSON.parse(line));
  console.log(JSON.stringify(wrong && [wrong.event, wrong.message]));
}
