// The benchmark's messages through QuickFIX C++, the way an application of it reads and writes them. Reads the framed
// messages, one per line with | for SOH (order, report, snapshot), then runs one round for every further line; prints
// nanoseconds of CPU time per message, one line per case.
//
//   parse            Message from a string with the dictionary; BodyLength and CheckSum checked (as its session does)
//   …, ten fields    and ten typed fields taken out and converted: text, char, double, time, int
//   …, validated     and DataDictionary::validate
//   encode           a FIX44 message built from typed fields, header as its session fills it, toString; prices and
//                    quantities are doubles there
#include <quickfix/DataDictionary.h>
#include <quickfix/Message.h>
#include <quickfix/fix44/ExecutionReport.h>
#include <quickfix/fix44/MarketDataSnapshotFullRefresh.h>
#include <quickfix/fix44/NewOrderSingle.h>
#include <algorithm>
#include <ctime>
#include <iostream>
#include <string>
#include <vector>

static double cpuNs() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec * 1e9 + t.tv_nsec;
}

template <typename F> static void timed(const char* name, F body) {
  const int count = 3000;
  for (int i = 0; i < count / 4; i++) body();
  const double before = cpuNs();
  for (int i = 0; i < count; i++) body();
  std::cout << name << "\t" << (cpuNs() - before) / count << std::endl;
}

static size_t sink = 0;

template <typename Field> static Field get(const FIX::FieldMap& m) {
  Field field;
  m.getField(field);
  return field;
}

static void readOrder(const FIX::Message& m) {
  sink += get<FIX::ClOrdID>(m).getValue().size() + get<FIX::Account>(m).getValue().size();
  sink += get<FIX::Symbol>(m).getValue().size() + get<FIX::Side>(m).getValue();
  sink += get<FIX::TransactTime>(m).getValue().getMillisecond();
  sink += (size_t)get<FIX::OrderQty>(m).getValue() + get<FIX::OrdType>(m).getValue();
  sink += (size_t)get<FIX::Price>(m).getValue() + get<FIX::TimeInForce>(m).getValue();
  sink += get<FIX::MsgSeqNum>(m.getHeader()).getValue();
}

static void readReport(const FIX::Message& m) {
  sink += get<FIX::OrderID>(m).getValue().size() + get<FIX::ClOrdID>(m).getValue().size();
  sink += get<FIX::ExecID>(m).getValue().size() + get<FIX::ExecType>(m).getValue() + get<FIX::OrdStatus>(m).getValue();
  sink += (size_t)get<FIX::LastQty>(m).getValue() + (size_t)get<FIX::LastPx>(m).getValue();
  sink += (size_t)get<FIX::LeavesQty>(m).getValue() + (size_t)get<FIX::CumQty>(m).getValue();
  sink += get<FIX::MsgSeqNum>(m.getHeader()).getValue();
}

static void readBook(const FIX::Message& m) {
  FIX44::MarketDataSnapshotFullRefresh::NoMDEntries group;
  const int entries = get<FIX::NoMDEntries>(m).getValue();
  for (int i = 1; i <= entries; i++) {
    m.getGroup(i, group);
    sink += get<FIX::MDEntryType>(group).getValue() + (size_t)get<FIX::MDEntryPx>(group).getValue();
    sink += (size_t)get<FIX::MDEntrySize>(group).getValue();
  }
}

static const FIX::UtcTimeStamp at(10, 11, 12, 345, 21, 11, 2026);

static void header(FIX::Message& m) {
  auto& h = m.getHeader();
  h.setField(FIX::SenderCompID("CROSSGATE"));
  h.setField(FIX::TargetCompID("OMSTRADER"));
  h.setField(FIX::MsgSeqNum(28273));
  h.setField(FIX::SendingTime(at, 3));
}

static std::string encodeReport() {
  FIX44::ExecutionReport m(FIX::OrderID("297735387747975680"), FIX::ExecID("297735387747975680-10002-F"),
    FIX::ExecType('F'), FIX::OrdStatus('1'), FIX::Side('1'), FIX::LeavesQty(1.25), FIX::CumQty(0.25),
    FIX::AvgPx(60123.4));
  header(m);
  m.getHeader().setField(FIX::TargetSubID("TRADER7"));
  m.set(FIX::ClOrdID("ORD-20261121-18273"));
  m.set(FIX::Account("1110001"));
  m.set(FIX::Symbol("BTCUSDC"));
  m.set(FIX::OrderQty(1.5));
  m.set(FIX::OrdType('2'));
  m.set(FIX::Price(60123.45));
  m.set(FIX::TimeInForce('1'));
  m.set(FIX::LastQty(0.25));
  m.set(FIX::LastPx(60123.4));
  m.set(FIX::TransactTime(at, 3));
  m.set(FIX::GrossTradeAmt(15030.85));
  return m.toString();
}

static std::string encodeBook() {
  FIX44::MarketDataSnapshotFullRefresh m;
  header(m);
  m.set(FIX::MDReqID("md-1"));
  m.set(FIX::Symbol("BTCUSDC"));
  for (int i = 0; i < 20; i++) {
    FIX44::MarketDataSnapshotFullRefresh::NoMDEntries group;
    group.set(FIX::MDEntryType(i < 10 ? '0' : '1'));
    group.set(FIX::MDEntryPx(i < 10 ? 60000.25 - i : 59990.25 + i));
    group.set(FIX::MDEntrySize(i % 10 + 1.5));
    m.addGroup(group);
  }
  return m.toString();
}

int main(int, char** argv) {
  FIX::DataDictionary dictionary(argv[1]);
  std::vector<std::string> messages;
  for (std::string line; messages.size() < 3 && std::getline(std::cin, line);) {
    std::replace(line.begin(), line.end(), '|', '\x01');
    messages.push_back(line);
  }
  const auto parse = [&](int i) { return FIX::Message(messages[i], dictionary, true); };
  const auto valid = [&](int i) { FIX::Message m(messages[i], dictionary, true); dictionary.validate(m); return m; };
  for (std::string line; std::getline(std::cin, line);) {
    timed("order", [&] { sink += parse(0).isApp(); });
    timed("order without dictionary", [&] { sink += FIX::Message(messages[0], true).isApp(); });
    timed("order, ten fields", [&] { readOrder(parse(0)); });
    timed("order, ten fields, validated", [&] { readOrder(valid(0)); });
    timed("report, ten fields, validated", [&] { readReport(valid(1)); });
    timed("book, every value, validated", [&] { readBook(valid(2)); });
    timed("encode report", [&] { sink += encodeReport().size(); });
    timed("encode book", [&] { sink += encodeBook().size(); });
    std::cout << "end" << std::endl;
  }
  return sink == 42 ? 1 : 0;
}
