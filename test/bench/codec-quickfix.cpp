// The benchmark's messages through QuickFIX C++: decode, decode with validation, encode. Reads three framed messages, one
// per line with | for SOH; prints nanoseconds of CPU time per message, one line per round and case.
#include <quickfix/DataDictionary.h>
#include <quickfix/Message.h>
#include <quickfix/fix44/ExecutionReport.h>
#include <algorithm>
#include <cstdlib>
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
  const int count = 4000;
  for (int i = 0; i < count / 4; i++) body();
  const double before = cpuNs();
  for (int i = 0; i < count; i++) body();
  std::cout << name << " " << (cpuNs() - before) / count << std::endl;
}

static size_t sink = 0;

static void readOrder(const FIX::Message& m) {
  for (int tag : {11, 1, 55, 54, 60, 38, 40, 44, 59}) sink += m.getField(tag).size();
  sink += m.getHeader().getField(34).size();
}

static void readBook(const FIX::Message& m) {
  FIX::Group group(268, 269);
  const int entries = atoi(m.getField(268).c_str());
  for (int i = 1; i <= entries; i++) {
    m.getGroup(i, group);
    for (int tag : {269, 270, 271}) sink += group.getField(tag).size();
  }
}

static std::string encodeReport() {
  FIX::Message m;
  auto& h = m.getHeader();
  h.setField(8, "FIX.4.4"); h.setField(35, "8"); h.setField(49, "CROSSGATE"); h.setField(56, "OMSTRADER");
  h.setField(34, "28273"); h.setField(52, "20261121-10:11:12.345"); h.setField(57, "TRADER7");
  static const std::pair<int, const char*> fields[] = {
    {37, "297735387747975680"}, {11, "ORD-20261121-000018273"}, {17, "297735387747975680-100020000000000060-F"},
    {150, "F"}, {39, "1"}, {1, "111000000000001"}, {55, "BTCUSDC"}, {54, "1"}, {38, "1.50000000"}, {40, "2"},
    {44, "60123.4500"}, {59, "1"}, {32, "0.50000000"}, {31, "60123.4000"}, {151, "1.00000000"}, {14, "0.50000000"},
    {6, "60123.4000"}, {60, "20261121-10:11:12.340"}, {381, "30061.70"}};
  for (const auto& f : fields) m.setField(f.first, f.second);
  return m.toString();
}

int main(int argc, char** argv) {
  FIX::DataDictionary dictionary(argv[1]);
  std::vector<std::string> messages;
  for (std::string line; messages.size() < 3 && std::getline(std::cin, line);) {
    std::replace(line.begin(), line.end(), '|', '\x01');
    messages.push_back(line);
  }
  // One round for every further line, so that the caller can interleave with its own.
  for (std::string line; std::getline(std::cin, line);) {
    timed("order", [&] { FIX::Message m(messages[0], dictionary, true); readOrder(m); });
    timed("order-validated", [&] { FIX::Message m(messages[0], dictionary, true); dictionary.validate(m); readOrder(m); });
    timed("book-validated", [&] { FIX::Message m(messages[2], dictionary, true); dictionary.validate(m); readBook(m); });
    timed("encode", [&] { sink += encodeReport().size(); });
    std::cout << "end" << std::endl;
  }
  return sink == 42 ? 1 : 0;
}
