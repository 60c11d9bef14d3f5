// Order state changes of FIX 4.4 volume 4 Appendix D that the exchange can produce, one script per case, and what goes wrong
// around them. A script knows neither how the exchange is played nor in what order its words arrive: a runner decides.
//
//   D x 10 [more]        the OMS sends NewOrderSingle x for 10 at 100; `more` replaces or adds fields
//   F y x / G y x 12 [more] / H x
//   hold / release [n]   the exchange takes no commands / takes those that wait, or the first n
//   lost | refuse STATUS CODE   what becomes of the next command's answer (lost: executed; refuse: not)
//   fill x 2 1 7         trades of these quantities; their words arrive together
//   end x STATUS CODE    the exchange ends the order of itself
//   restate x QTY        the order changes without the OMS, by the exchange or on its page
//   down / up            the gateway dies / starts again     reconnect  the private stream comes back with a snapshot
//   restart              the exchange restarts with its books: streams and logins are gone
//   silent / speak       the exchange's stream says nothing / what happens from now on: only look-ups show what happened
//   wait MS              time passes
//   = 11 150/39 14 151   the OMS gets exactly these reports next (9 as `9:434/39 102 41`, in any arrival order the same end)

export interface StateChange {
  readonly name: string;
  readonly script: string;
  /** The session carries out a G by cancel and new order where it has to (rule O6). */
  readonly swaps?: boolean;
}

/** A snapshot shows the last twenty (exchange reference §4.2). */
const FILLS = Array.from({ length: 25 }, (_, i) => (i < 5 ? 2 : 1));
const sumOf = (quantities: readonly number[]): number => quantities.reduce((sum, one) => sum + one, 0);

export const STATE_CHANGES: readonly StateChange[] = [
  {
    name: 'A.1.a filled order',
    script: `D x 10
      = x 0/0 0 10
      fill x 2 1 7
      = x F/1 2 8
      = x F/1 3 7
      = x F/2 10 0`,
  },
  {
    name: 'B.1.a cancel of a zero-filled order',
    script: `D x 10
      = x 0/0 0 10
      F y x
      = y 6/6 0 10
      = y 4/4 0 0`,
  },
  {
    name: 'B.1.a cancel of a zero-filled order, refused',
    script: `D x 10
      = x 0/0 0 10
      refuse 400 3036
      F y x
      = y 6/6 0 10
      = y 9:1/0 99 x`,
  },
  {
    name: 'B.1.b executions occur while the cancel request is active',
    script: `D x 10
      = x 0/0 0 10
      fill x 2
      = x F/1 2 8
      hold
      F y x
      = y 6/6 2 8
      fill x 3 2
      = x F/6 5 5
      = x F/6 7 3
      release
      = y 4/4 7 0`,
  },
  {
    name: 'B.1.c filled before the cancel request can be accepted',
    script: `D x 10
      = x 0/0 0 10
      fill x 2
      = x F/1 2 8
      hold
      F y x
      = y 6/6 2 8
      fill x 8
      = x F/6 10 0
      = y 9:1/2 0 x
      release`,
  },
  {
    name: 'B.1.d cancel of an order that is not acknowledged yet',
    script: `hold
      D x 10
      F y x
      = y 6/6 0 10
      release
      = x 0/6 0 10
      = y 4/4 0 0`,
  },
  {
    name: 'B.1.e acknowledgement and cancel request cross',
    script: `hold
      D x 10
      F y x
      = y 6/6 0 10
      release 1
      = x 0/6 0 10
      release
      = y 4/4 0 0`,
  },
  {
    name: 'B.1.f cancel of an unknown order',
    script: `F y x
      = y 9:1/8 1 x`,
  },
  {
    name: 'C.1.a zero-filled order, increased',
    script: `D x 10
      = x 0/0 0 10
      G y x 11
      = y E/E 0 10
      = y 5/0 0 11
      fill y 1 10
      = y F/1 1 10
      = y F/2 11 0`,
  },
  {
    name: 'C.1.b part-filled order, increased while an execution occurs',
    swaps: true,
    script: `D x 10
      = x 0/0 0 10
      fill x 1
      = x F/1 1 9
      hold
      G y x 12
      = y E/E 1 9
      fill x 1
      = x F/E 2 8
      release
      = y 5/1 2 10
      fill y 10
      = y F/2 12 0`,
  },
  {
    name: 'C.1.c filled order, increased',
    script: `D x 10
      = x 0/0 0 10
      fill x 10
      = x F/2 10 0
      G y x 12
      = y 9:2/2 0 x`,
  },
  {
    name: 'C.2.a replace (not of quantity) is refused because a fill has occurred',
    script: `D x 10
      = x 0/0 0 10
      hold
      G y x 10 44=101
      = y E/E 0 10
      fill x 10
      = x F/E 10 0
      = y 9:2/2 0 x
      release`,
  },
  {
    name: 'C.3.a decreased while an execution is reported, to more than CumQty',
    swaps: true,
    script: `D x 10
      = x 0/0 0 10
      fill x 1
      = x F/1 1 9
      hold
      G y x 8
      = y E/E 1 9
      fill x 1
      = x F/E 2 8
      release
      = y 5/1 2 6
      fill y 6
      = y F/2 8 0`,
  },
  {
    name: 'C.3.b decreased to what was filled meanwhile',
    swaps: true,
    script: `D x 10
      = x 0/0 0 10
      fill x 1
      = x F/1 1 9
      hold
      G y x 7
      = y E/E 1 9
      fill x 6
      = x F/E 7 3
      release
      = y 9:2/1 0 x
      = x 4/4 7 0`,
  },
  {
    name: 'C.3.c decreased to less than what was filled meanwhile',
    swaps: true,
    script: `D x 10
      = x 0/0 0 10
      fill x 1
      = x F/1 1 9
      hold
      G y x 6
      = y E/E 1 9
      fill x 6
      = x F/E 7 3
      release
      = y 9:2/1 0 x
      = x 4/4 7 0`,
  },
  {
    name: 'D.1.a two replaces, both accepted',
    script: `D x 10
      = x 0/0 0 10
      G y x 8
      = y E/E 0 10
      = y 5/0 0 8
      G z y 6
      = z E/E 0 8
      = z 5/0 0 6
      fill z 6
      = z F/2 6 0`,
  },
  {
    name: 'D.1.b a replace refused before it is pending, then one accepted',
    script: `D x 10
      = x 0/0 0 10
      G y x 10 44=0
      = y 9:2/0 99 x
      G z x 6
      = z E/E 0 10
      = z 5/0 0 6`,
  },
  {
    name: 'D.1.c a replace refused after it is pending, then one accepted',
    script: `D x 10
      = x 0/0 0 10
      refuse 400 3032
      G y x 8
      = y E/E 0 10
      = y 9:2/0 0 x
      G z x 6
      = z E/E 0 10
      = z 5/0 0 6`,
  },
  {
    name: 'D.2.c a replace followed at once by another: the second is refused while the first is pending',
    script: `D x 10
      = x 0/0 0 10
      hold
      G y x 8
      = y E/E 0 10
      G z y 6
      = z 9:2/E 3 x
      release
      = y 5/0 0 8`,
  },
  {
    name: 'D.2.d a replace followed at once by another: both are refused',
    script: `D x 10
      = x 0/0 0 10
      hold
      G y x 8
      = y E/E 0 10
      G z y 6
      = z 9:2/E 3 x
      refuse 400 3032
      release
      = y 9:2/0 0 x`,
  },
  {
    name: 'E.1.b unsolicited cancel of a part-filled order',
    script: `D x 10
      = x 0/0 0 10
      fill x 5
      = x F/1 5 5
      end x CANCELLED 6019
      = x 4/4 5 0`,
  },
  {
    name: 'E.1.c unsolicited replacement',
    script: `D x 10
      = x 0/0 0 10
      restate x 8
      = x D/0 0 8`,
  },
  {
    name: 'F.1.a rejected as a duplicate ClOrdID',
    script: `D x 10
      = x 0/0 0 10
      fill x 4
      = x F/1 4 6
      D x 20
      = x 8/1 4 6`,
  },
  {
    name: 'F.1.b PossResend of a known order, and of an unknown one',
    script: `D x 10
      = x 0/0 0 10
      D x 10 97=Y
      = x I/0 0 10
      D y 10 97=Y
      = y 0/0 0 10`,
  },
  {
    name: 'G.1.a status of an unknown order',
    script: `H x
      = x I/8 0 0`,
  },
  {
    name: 'G.1.c status asked for throughout the life of an order',
    script: `hold
      D x 10
      H x
      = x I/A 0 10
      release
      = x 0/0 0 10
      H x
      = x I/0 0 10
      fill x 4
      = x F/1 4 6
      H x
      = x I/1 4 6
      fill x 6
      = x F/2 10 0
      H x
      = x I/2 10 0`,
  },
  {
    name: 'I.1.a Fill or Kill that cannot be filled',
    script: `D x 10 59=4
      = x 0/0 0 10
      end x CANCELLED 6004
      = x C/C 0 0`,
  },
  {
    name: 'I.1.b Immediate or Cancel that is hit in part',
    script: `D x 10 59=3
      = x 0/0 0 10
      fill x 3
      = x F/1 3 7
      end x CANCELLED 6003
      = x C/C 3 0`,
  },
  {
    name: 'K.1.b a halt that cancels',
    script: `D x 10
      = x 0/0 0 10
      fill x 1
      = x F/1 1 9
      end x CANCELLED 6024
      = x 4/4 1 0`,
  },
  {
    name: 'the acknowledgement is lost, the stream tells',
    script: `lost
      D x 10
      = x 0/0 0 10
      fill x 10
      = x F/2 10 0`,
  },
  {
    name: 'the acknowledgement is lost and the stream is silent: the look-up tells',
    script: `silent
      lost
      D x 10
      = x 0/0 0 10
      speak
      fill x 10
      = x F/2 10 0`,
  },
  {
    name: 'the answer to a cancel is lost and the stream is silent: the look-up tells',
    script: `D x 10
      = x 0/0 0 10
      silent
      lost
      F y x
      = y 6/6 0 10
      = y 4/4 0 0
      speak`,
  },
  {
    name: 'the nonce is refused',
    script: `refuse 400 3039
      D x 10
      = x 8/8 0 0`,
  },
  {
    name: 'the JWT expired in flight',
    script: `refuse 401 5000
      D x 10
      = x 8/8 0 0`,
  },
  {
    name: 'the rate limit of the exchange is reached (429)',
    script: `refuse 429 96000
      D x 10
      = x 8/8 0 0`,
  },
  {
    name: 'the private stream breaks and comes back with a snapshot',
    script: `D x 10
      = x 0/0 0 10
      fill x 4
      = x F/1 4 6
      reconnect
      fill x 6
      = x F/2 10 0`,
  },
  {
    name: 'more fills than a snapshot shows while the private stream was away',
    script: `D x 40
      = x 0/0 0 40
      silent
      fill x ${FILLS.join(' ')}
      speak
      reconnect
      ${FILLS.map((_, i) => sumOf(FILLS.slice(0, i + 1)))
        .map((cum) => `= x F/1 ${cum} ${40 - cum}`)
        .join('\n')}`,
  },
  {
    name: 'the exchange restarts with a part-filled order',
    script: `D x 10
      = x 0/0 0 10
      fill x 4
      = x F/1 4 6
      restart
      fill x 2
      = x F/1 6 4
      F y x
      = y 6/6 6 4
      = y 4/4 6 0`,
  },
  {
    name: 'a cancel meets an exchange that has just restarted',
    script: `D x 10
      = x 0/0 0 10
      restart
      F y x
      = y 6/6 0 10
      = y 4/4 0 0`,
  },
  {
    name: 'the gateway is started anew with a part-filled order',
    script: `D x 10
      = x 0/0 0 10
      fill x 4
      = x F/1 4 6
      down
      up
      fill x 6
      = x F/2 10 0`,
  },
  {
    name: 'a fill while the gateway is down',
    script: `D x 10
      = x 0/0 0 10
      down
      fill x 4
      up
      = x F/1 4 6
      F y x
      = y 6/6 4 6
      = y 4/4 4 0`,
  },
  {
    name: 'an order ends while the gateway is down',
    script: `D x 10
      = x 0/0 0 10
      down
      fill x 4
      end x CANCELLED 6019
      up
      = x F/1 4 6
      = x 4/4 4 0`,
  },
];
