// An acceptor on QuickFIX C++ that answers every NewOrderSingle(D) with an ExecutionReport(8): the peer of the session
// benchmark, and the acceptor that the library's initiator is tried against. Prints the port it was given and, on a line of
// its own for every `cpu` on stdin, the processor seconds it has used.
//
//   session-quickfix PORT memory|FOLDER DICTIONARY SENDER TARGET [TARGET ...]

#include <quickfix/Application.h>
#include <quickfix/FileStore.h>
#include <quickfix/Message.h>
#include <quickfix/Session.h>
#include <quickfix/SessionSettings.h>
#include <quickfix/SocketAcceptor.h>
#include <ctime>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>

class Echo : public FIX::Application {
public:
  void onCreate(const FIX::SessionID &) override {}
  void onLogon(const FIX::SessionID &) override { std::cout << "logon" << std::endl; }
  void onLogout(const FIX::SessionID &) override {}
  void toAdmin(FIX::Message &, const FIX::SessionID &) override {}
  void toApp(FIX::Message &, const FIX::SessionID &) throw(FIX::DoNotSend) override {}
  void fromAdmin(const FIX::Message &, const FIX::SessionID &)
      throw(FIX::FieldNotFound, FIX::IncorrectDataFormat, FIX::IncorrectTagValue, FIX::RejectLogon) override {}
  void fromApp(const FIX::Message &order, const FIX::SessionID &session)
      throw(FIX::FieldNotFound, FIX::IncorrectDataFormat, FIX::IncorrectTagValue, FIX::UnsupportedMessageType) override {
    if (order.getHeader().getField(35) != "D") return;
    FIX::Message report;
    report.getHeader().setField(35, "8");
    const std::string id = std::to_string(++reports_);
    report.setField(37, id);
    report.setField(17, id);
    report.setField(150, "0");
    report.setField(39, "0");
    for (int tag : {11, 55, 54, 38, 44}) report.setField(tag, order.getField(tag));
    report.setField(151, order.getField(38));
    report.setField(14, "0");
    report.setField(6, "0");
    report.setField(60, order.getField(60));
    FIX::Session::sendToTarget(report, session);
  }

private:
  long reports_ = 0;
};

int main(int argc, char **argv) {
  if (argc < 6) return 2;
  const std::string store = argv[2];
  std::stringstream text;
  text << "[DEFAULT]\nConnectionType=acceptor\nStartTime=00:00:00\nEndTime=00:00:00\nSocketAcceptPort=" << argv[1]
       << "\nSocketReuseAddress=Y\nSocketNodelay=Y\nUseDataDictionary=Y\nDataDictionary=" << argv[3]
       << "\nFileStorePath=" << store << "\n";
  for (int target = 5; target < argc; target++) {
    text << "[SESSION]\nBeginString=FIX.4.4\nSenderCompID=" << argv[4] << "\nTargetCompID=" << argv[target] << "\n";
  }
  try {
    FIX::SessionSettings settings(text);
    Echo echo;
    std::unique_ptr<FIX::MessageStoreFactory> factory;
    if (store == "memory") factory.reset(new FIX::MemoryStoreFactory);
    else factory.reset(new FIX::FileStoreFactory(settings));
    FIX::SocketAcceptor acceptor(echo, *factory, settings);
    acceptor.start();
    std::cout << "listening " << argv[1] << std::endl;
    for (std::string line; std::getline(std::cin, line);) {
      if (line != "cpu") continue;
      timespec t;
      clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
      std::cout << "cpu " << t.tv_sec + t.tv_nsec / 1e9 << std::endl;
    }
    acceptor.stop(true);
  } catch (const std::exception &error) {
    std::cerr << "failed: " << error.what() << std::endl;
    return 1;
  }
  return 0;
}
