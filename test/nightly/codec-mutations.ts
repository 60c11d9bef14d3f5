// Ten million damaged messages through the codec: `npm run nightly -- codec-mutations [mutations] [seed]`.

import { mutationCampaign } from '../support/random/codec-mutations.ts';

const SHOWN_EVERY = 500_000;

/** Whether each gave a frame, a notice or nothing, and every outcome was seen. */
export async function run([
  mutations = '10000000',
  seed = String(Date.now() >>> 0),
]: readonly string[]): Promise<boolean> {
  console.log(`${mutations} mutations, seed ${seed}`);
  const begun = process.cpuUsage();
  try {
    const counts = mutationCampaign(Number(mutations), Number(seed), (done) => {
      const { user, system } = process.cpuUsage(begun);
      if (done % SHOWN_EVERY === 0)
        console.log(`${done} of ${mutations}, ${((user + system) / 1e6).toFixed(0)} s of CPU`);
    });
    console.log(JSON.stringify(counts));
    return Math.min(counts.frames, counts.valid, counts.notices, counts.nothing) > 0;
  } catch (error) {
    console.error(error);
    return false;
  }
}
